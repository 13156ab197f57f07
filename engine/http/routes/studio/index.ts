export { deleteTemplate } from './delete-template.ts';
export { saveTemplate } from './save-template.ts';
export { simulate } from './simulate.ts';
export { templates } from './templates.ts';
