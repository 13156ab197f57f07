import { configDefaults, defineConfig } from 'vitest/config';
import { Sequencer } from './test/support/sequencer.ts';

/**
 * Files of `npm run test:long`: whole systems that are taken apart, the pages in a browser, what operators run, and
 * the second verifiers.
 */
export const longTests = ['long', 'web', 'backup', 'deploy', 'verify/second'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** `npm test`; the rest is in `npm run test:long`, what is shipped in `npm run test:release`. */
export default defineConfig({
  test: {
    include: ['engine/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...longTests, 'test/release/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/costs.ts', 'test/support/real-time.ts'],
    sequence: { sequencer: Sequencer },
    // What commands print in a test's process is plain also where CI asks for colors.
    env: { NO_COLOR: '1' },
    pool: 'forks',
    // Twice the cores: files wait for databases, chains and browsers half of the time.
    maxWorkers: 4,
    // Each worker loads a module once, and not once for each file.
    isolate: false,
    testTimeout: 120_000,
    // By default an expectation is polled for one second: less than a busy machine takes for a page.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
