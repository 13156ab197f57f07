export { prepare } from './prepare.ts';
export { submit } from './submit.ts';
