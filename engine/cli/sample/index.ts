export { type PlayedSample, playSample } from './play-sample.ts';
export { sampleProfiles, writeSampleProfiles } from './profiles.ts';
