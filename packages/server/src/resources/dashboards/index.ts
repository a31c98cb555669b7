export { type FoundDashboard, findDashboard, requireEditable } from './find-dashboard.js';
