import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { referralCommerceBytecode } from '../../abis/referralCommerce.ts';
import { referralCommerceBuild } from '../../abis/referralCommerceBuild.ts';
import { standardJson } from '../../engine/cli/deploy/build.ts';

interface Compiler {
  version(): string;
  compile(input: string): string;
}

it('gives the deployed bytecode when the pinned compiler reads the standard JSON input alone', () => {
  const solc: Compiler = createRequire(import.meta.url)('solc');
  expect(solc.version()).toContain(referralCommerceBuild.compiler);
  const [file, name] = referralCommerceBuild.contract.split(':');
  const { contracts, errors } = JSON.parse(solc.compile(standardJson));
  const severe = errors?.filter(({ severity }: { severity: string }) => severity === 'error');
  expect(severe ?? []).toEqual([]);
  const { bytecode, deployedBytecode } = contracts[file ?? ''][name ?? ''].evm;
  expect(`0x${bytecode.object}` === referralCommerceBytecode).toBe(true);
  expect(`0x${deployedBytecode.object}` === referralCommerceBuild.deployedBytecode).toBe(true);
  const [setupFile, setupName] = referralCommerceBuild.setup.contract.split(':');
  const { evm } = contracts[setupFile ?? ''][setupName ?? ''];
  const setup = `0x${evm.deployedBytecode.object}`;
  expect(setup === referralCommerceBuild.setup.deployedBytecode).toBe(true);
}, 600_000);
