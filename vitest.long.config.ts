import { configDefaults, defineConfig } from 'vitest/config';
import shared from './vitest.config.ts';

/** Whole systems that are killed, cut off, lied to and rebuilt: minutes, which `npm test` has not. */
export default defineConfig({
  test: { ...shared.test, include: ['test/long/**/*.test.ts'], exclude: configDefaults.exclude },
});
