export { hide, unhide } from './decide.ts';
export { log } from './log.ts';
