export { get } from './get.ts';
export { list } from './list.ts';
export { respond } from './respond.ts';
export { withdraw } from './withdraw.ts';
