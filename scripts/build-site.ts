// Builds the public explorer, web/, into web/dist.
import { buildSite } from '../engine/cli/site/build.ts';

await buildSite();
