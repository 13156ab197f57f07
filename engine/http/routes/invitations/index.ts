export { get } from './get.ts';
export { mine } from './mine.ts';
export { respond } from './respond.ts';
export { send } from './send.ts';
export { sent } from './sent.ts';
export { withdraw } from './withdraw.ts';
