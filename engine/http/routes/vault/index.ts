export { get } from './get.ts';
export { movements } from './movements.ts';
