export { findTemplate } from './find.js';
export { readTemplate, type Template, type TemplateTile, templateSchema } from './template.js';
