export { exportReport as export } from './export.ts';
export { get } from './get.ts';
export { list } from './list.ts';
export { preview } from './preview.ts';
export { remove } from './remove.ts';
