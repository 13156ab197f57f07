import { configDefaults, defineConfig } from 'vitest/config';
import shared from './vitest.config.ts';

/** `npm run test:release`: what is shipped, installed as users install it, which takes npm and minutes. */
export default defineConfig({
  test: {
    ...shared.test,
    include: ['test/release/**/*.test.ts'],
    exclude: configDefaults.exclude,
    maxWorkers: 1,
  },
});
