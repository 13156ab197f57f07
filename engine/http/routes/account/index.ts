export { deleteOwnAccount as delete } from './delete.ts';
export { exportAccount as export } from './export.ts';
