export { get } from './get.ts';
export { mine } from './mine.ts';
export { updateVisibility } from './update-visibility.ts';
