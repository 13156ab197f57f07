import { describe, expect, it } from 'vitest';
import { MAX_WEBHOOK_URL_CHARACTERS, webhookUrlIssue } from './webhook-url.ts';

const strict = { allowCidrs: [], allowLoopback: false };
const local = { allowCidrs: [], allowLoopback: true };

describe('webhookUrlIssue', () => {
  it.each([
    'https://hooks.example/tributary',
    'https://hooks.example:443/',
    'https://hooks.example:80/',
    'https://hooks.example:1024/a?b=c',
    'https://hooks.example:65535',
    'https://8.8.8.8/hook',
    'https://[2606:4700:4700::1111]/hook',
    'https://münchen.example/',
  ])('accepts %s', (url) => {
    expect(webhookUrlIssue(url, strict)).toBeUndefined();
  });

  it.each([
    ['hooks.example/x', 'must be an absolute URL without spaces'],
    ['https://', 'must be an absolute URL without spaces'],
    ['https://hooks.example/a b', 'must be an absolute URL without spaces'],
    ['https://hooks.example/\n', 'must be an absolute URL without spaces'],
    [' https://hooks.example/', 'must be an absolute URL without spaces'],
    ['http://hooks.example/', 'must begin with https://'],
    ['ftp://hooks.example/', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['https://name@hooks.example/', 'must not contain a name or password'],
    ['https://:word@hooks.example/', 'must not contain a name or password'],
    ['https://hooks.example/#', 'must not contain a fragment (#)'],
    ['https://hooks.example/a#b', 'must not contain a fragment (#)'],
    ['https://hooks.example:22/', 'must have port 443, 80 or above 1023'],
    ['https://hooks.example:0/', 'must have port 443, 80 or above 1023'],
    ['https://hooks.example:1023/', 'must have port 443, 80 or above 1023'],
    ['https://hooks.example:65536/', 'must be an absolute URL without spaces'],
  ])('refuses %j', (url, issue) => {
    expect(webhookUrlIssue(url, strict)).toBe(issue);
  });

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0',
    '[fd00:ec2::254]',
    '１２７.0.0.1',
    'localhost',
    'LOCALHOST.',
    'db.localhost',
  ])('refuses the host %s', (host) => {
    const issue = webhookUrlIssue(`https://${host}/hook`, strict);
    expect(issue).toBe('must name a host with a public address');
  });

  it('accepts http only for a loopback host of a local chain', () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'shop.localhost']) {
      expect(webhookUrlIssue(`http://${host}:3000/hook`, local), host).toBeUndefined();
      expect(webhookUrlIssue(`http://${host}:3000/hook`, strict), host).toMatch(/https/);
    }
    for (const host of ['hooks.example', '8.8.8.8', '10.0.0.1']) {
      expect(webhookUrlIssue(`http://${host}/hook`, local), host).toMatch(/https/);
    }
  });

  it('accepts an address of a range that the operator opened, by https', () => {
    const options = { allowCidrs: ['10.1.0.0/16'], allowLoopback: false };
    expect(webhookUrlIssue('https://10.1.2.3:8443/', options)).toBeUndefined();
    expect(webhookUrlIssue('http://10.1.2.3:8080/', options)).toBe('must begin with https://');
    expect(webhookUrlIssue('https://10.2.2.3/', options)).toMatch(/public/);
  });

  it('refuses the host of this service, at any port and by any spelling', () => {
    const options = { ...strict, ownUrl: 'https://Api.Example:8443' };
    for (const host of ['api.example', 'API.example.', 'api.example:8443', 'api.example:9000']) {
      const issue = webhookUrlIssue(`https://${host}/hook`, options);
      expect(issue, host).toBe('must not name this service');
    }
    for (const host of ['shop.api.example', 'example', 'hooks.example:8443']) {
      expect(webhookUrlIssue(`https://${host}/hook`, options), host).toBeUndefined();
    }
  });

  it('refuses the port of this service on a loopback host, by any of its names, and no other port', () => {
    const options = { ...local, ownUrl: 'http://127.0.0.1:4000' };
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', 'a.localhost']) {
      const issue = webhookUrlIssue(`http://${host}:4000/`, options);
      expect(issue, host).toBe('must not name this service');
      expect(webhookUrlIssue(`http://${host}:3000/`, options), host).toBeUndefined();
    }
  });

  it('accepts as many characters as the limit, and no more', () => {
    const start = 'https://hooks.example/';
    const longest = start + 'a'.repeat(MAX_WEBHOOK_URL_CHARACTERS - start.length);
    expect(webhookUrlIssue(longest, strict)).toBeUndefined();
    expect(webhookUrlIssue(`${longest}a`, strict)).toBe('must have at most 2048 characters');
  });
});
