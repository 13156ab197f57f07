export { csv } from './csv.ts';
export { earnings } from './earnings.ts';
