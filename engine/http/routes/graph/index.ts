export { ancestry } from './ancestry.ts';
export { forCampaign } from './for-campaign.ts';
export { mine } from './mine.ts';
export { salePath } from './sale-path.ts';
export { search } from './search.ts';
