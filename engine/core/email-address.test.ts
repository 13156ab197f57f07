import { describe, expect, it } from 'vitest';
import { mailboxOf, normalizedAddress } from './email-address.ts';

describe('e-mail addresses', () => {
  it('compares addresses in lower case', () => {
    expect(normalizedAddress('Ann.Lee+Shop@Example.COM')).toBe('ann.lee+shop@example.com');
  });

  it.each([
    ['ann@example.com', 'ann@example.com'],
    ['Ann.Lee@Example.com', 'annlee@example.com'],
    ['annlee+1@example.com', 'annlee@example.com'],
    ['a.n.n.lee+x+y@example.com', 'annlee@example.com'],
    ['ann@mail.example.com', 'ann@mail.example.com'],
  ])('counts %s as the mailbox %s', (address, mailbox) => {
    expect(mailboxOf(address)).toBe(mailbox);
  });
});
