export { get } from './get.ts';
