export { campaign } from './campaign.ts';
export { merchant } from './merchant.ts';
