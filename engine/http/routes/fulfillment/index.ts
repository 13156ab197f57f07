export { access } from './access.ts';
