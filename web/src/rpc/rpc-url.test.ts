import { describe, expect, it } from 'vitest';
import { hostOf, isMixedContent, rpcUrlProblem } from './rpc-url.ts';

describe('the address of an RPC', () => {
  it('accepts http and https addresses without a password', () => {
    expect(rpcUrlProblem('https://rpc.example/key')).toBeUndefined();
    expect(rpcUrlProblem('http://127.0.0.1:8545')).toBeUndefined();
    expect(rpcUrlProblem('ws://rpc.example')).toContain('begins with https://');
    expect(rpcUrlProblem('rpc.example')).toContain('begins with https://');
    expect(rpcUrlProblem('https://me:secret@rpc.example')).toContain('leave them out');
  });

  it('reports http addresses as mixed content on an https page, except on this machine', () => {
    const page = 'https://explorer.example/receipts/1/7';
    expect(isMixedContent(page, 'http://rpc.example')).toBe(true);
    expect(isMixedContent(page, 'https://rpc.example')).toBe(false);
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'node.localhost']) {
      expect(isMixedContent(page, `http://${host}:8545`)).toBe(false);
    }
    expect(isMixedContent('http://127.0.0.1:4000/', 'http://rpc.example')).toBe(false);
  });

  it('names an RPC by its host alone, because its path may contain a key', () => {
    expect(hostOf('https://rpc.example:8545/v2/key?x=1')).toBe('rpc.example:8545');
  });
});
