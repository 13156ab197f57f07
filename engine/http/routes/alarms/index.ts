export { acknowledge, unacknowledge } from './decide.ts';
export { list } from './list.ts';
