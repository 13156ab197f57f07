export { bundle } from './bundle.ts';
export { events } from './events.ts';
export { forBuyer } from './for-buyer.ts';
export { forCampaign } from './for-campaign.ts';
export { forMerchant } from './for-merchant.ts';
export { get } from './get.ts';
export { recent } from './recent.ts';
export { verify } from './verify.ts';
