export { exposure } from './exposure.ts';
export { get } from './get.ts';
export { list } from './list.ts';
export { open } from './open.ts';
export { respond } from './respond.ts';
