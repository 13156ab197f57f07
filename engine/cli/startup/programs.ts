import type { Env } from '../../env.ts';
import { exitCodes } from '../exit-codes.ts';
import { anvilPackage, embeddedPostgres, findPrograms } from '../stack/platform-package.ts';
import { type Finding, messageOf, type StartupCheck } from './startup-check.ts';

/** Checks that the servers are installed that `start` runs because no others are configured. */
export function programsCheck({ databaseUrl, chain }: Env): StartupCheck {
  const exitCode = exitCodes.failed;
  const needed = [
    ...(databaseUrl === undefined ? [embeddedPostgres] : []),
    ...(chain === undefined ? [anvilPackage] : []),
  ];
  return {
    late: { sentence: 'The installed packages cannot be read.', exitCode },
    run: async () => ({
      findings: needed.flatMap((one): Finding[] => {
        try {
          findPrograms(one);
          return [];
        } catch (error) {
          return [{ sentence: messageOf(error), exitCode }];
        }
      }),
    }),
  };
}
