export { cancel } from './cancel.ts';
export { list } from './list.ts';
