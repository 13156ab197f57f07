import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressRules } from './address-rules.ts';

const strict = new AddressRules({ allowCidrs: [], allowLoopback: false });

describe('addresses that a request to a URL of a user may reach', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
  ])('includes %s', (address) => {
    expect(strict.allows(address)).toBe(true);
  });

  it.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, metadata of clouds', '169.254.169.254'],
    ['protocol assignments', '192.0.0.170'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped private', '::ffff:a00:1'],
    ['compatible loopback', '::127.0.0.1'],
    ['translated loopback', '64:ff9b::127.0.0.1'],
    ['translated private', '64:ff9b::a00:1'],
    ['translated locally', '64:ff9b:1::a00:1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%lo'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discard', '100::1'],
  ])('excludes the %s address %s', (_, address) => {
    expect(strict.allows(address)).toBe(false);
  });

  it('excludes any text that is no address', () => {
    for (const text of ['', 'localhost', '2130706433', '0x7f.1', '127.1', '8.8.8.8 ', '8.8.8']) {
      expect(strict.allows(text), text).toBe(false);
    }
    expect(strict.allows(undefined)).toBe(false);
  });

  it('excludes every IPv4 address of a private range, in all its IPv6 forms', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const start = fc.constantFrom('10', '127', '192.168', '169.254', '100.64', '172.16');
    fc.assert(
      fc.property(start, fc.array(octet, { minLength: 3, maxLength: 3 }), (network, rest) => {
        const address = [...network.split('.'), ...rest].slice(0, 4).join('.');
        for (const form of [address, `::ffff:${address}`, `::${address}`, `64:ff9b::${address}`]) {
          expect(strict.allows(form), form).toBe(false);
        }
      }),
    );
  });

  it('includes the ranges that the operator opened, and nothing next to them', () => {
    const rules = new AddressRules({
      allowCidrs: ['10.1.0.0/16', 'fd12:3456::/32'],
      allowLoopback: false,
    });
    for (const address of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', 'fd12:3456::1']) {
      expect(rules.allows(address), address).toBe(true);
    }
    for (const address of ['10.0.255.255', '10.2.0.0', 'fd12:3457::1', '127.0.0.1', '::1']) {
      expect(rules.allows(address), address).toBe(false);
    }
  });

  it('includes loopback addresses if they are allowed, and no other private ones', () => {
    const rules = new AddressRules({ allowCidrs: [], allowLoopback: true });
    for (const host of ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost', 'api.localhost']) {
      expect(rules.allowsHost(host), host).toBe(true);
    }
    for (const host of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::']) {
      expect(rules.allowsHost(host), host).toBe(false);
    }
  });

  it('excludes localhost by its name, and leaves other names to their lookup', () => {
    expect(strict.allowsHost('localhost')).toBe(false);
    expect(strict.allowsHost('a.LOCALHOST')).toBe(false);
    expect(strict.allowsHost('localhost.example')).toBe(true);
  });

  it('throws for a malformed range', () => {
    for (const range of ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', 'x/8', '']) {
      const build = () => new AddressRules({ allowCidrs: [range], allowLoopback: false });
      expect(build, range).toThrow(TypeError);
    }
  });
});
