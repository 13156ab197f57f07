export { create } from './create.ts';
export { list } from './list.ts';
export { revoke } from './revoke.ts';
export { rotate } from './rotate.ts';
export { usage } from './usage.ts';
