export { castOf } from './cast.ts';
export { fillCommerce } from './commerce/fill-commerce.ts';
export { type PlayedSample, playSample, SAMPLE_SEED } from './play-sample.ts';
export { sampleProfiles, writeSampleProfiles } from './profiles.ts';
