export { insightSchema } from './response.js';
export { insightView, type ViewContext } from './view.js';
