export { get } from './get.ts';
export { joinPreview } from './join-preview.ts';
export { label } from './label.ts';
export { mine } from './mine.ts';
export { stats } from './stats.ts';
