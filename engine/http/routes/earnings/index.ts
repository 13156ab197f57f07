export { byCampaign } from './by-campaign.ts';
export { byConversion } from './by-conversion.ts';
export { claimable } from './claimable.ts';
export { claims } from './claims.ts';
export { credits } from './credits.ts';
export { missed } from './missed.ts';
export { summary } from './summary.ts';
