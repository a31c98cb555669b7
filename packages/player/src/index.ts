export type { Fact } from './head.js';
export { mount, type Player, type PlayerOptions } from './mount.js';
