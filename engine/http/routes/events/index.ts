export { list } from './list.ts';
export { types } from './types.ts';
