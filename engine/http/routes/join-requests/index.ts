export { answer } from './answer.ts';
export { mine } from './mine.ts';
export { received } from './received.ts';
export { send } from './send.ts';
