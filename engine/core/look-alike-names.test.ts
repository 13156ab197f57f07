import { describe, expect, it } from 'vitest';
import { mixesScripts, skeletonOf } from './look-alike-names.ts';
import { isReservedName } from './reserved-names.ts';

describe('skeletonOf', () => {
  it.each([
    ['Harbor Roasters', 'Hаrbor Roasters'],
    ['Harbor Roasters', 'НаrЬоr Rоаstеrѕ'.replace('Н', 'H').replace('Ь', 'b')],
    ['PayPal', 'PayPaI'],
    ['scope', 'ѕсоре'],
    ['Modern', 'Modem'],
    ['Moon Shop', 'M00n-Shop'],
    ['Alpha', 'Αlpha'],
    ['Ｈarbor', 'Harbor'],
  ])('gives %s and %s the same skeleton', (one, other) => {
    expect(skeletonOf(one)).toBe(skeletonOf(other));
  });

  it('gives names that look different another skeleton', () => {
    const names = [
      'Harbor',
      'Harbour',
      'Ella',
      'Elia',
      'Café',
      'Cafe',
      'Кофе',
      'Чай',
      '東京',
      'قهوة',
    ];
    expect(new Set(names.map(skeletonOf)).size).toBe(names.length);
  });
});

describe('mixesScripts', () => {
  it.each(['Hаrbor Roasters', 'Αlpha', 'Tributаry', 'Ꮮisa', 'κafe'])('refuses %s', (name) => {
    expect(mixesScripts(name)).toBe(true);
  });

  it.each([
    ...['Harbor Roasters', 'Café Ångström', 'Кофейня №1', 'Кафе Coffee', 'Ελληνικός Καφές'],
    ...[
      '東京コーヒー',
      'とうきょう',
      'Tokyo東京カフェ',
      '서울커피 Seoul',
      'قهوة الصباح',
      'קפה',
      'कॉफ़ी हाउस',
      'กาแฟ',
    ],
    ...["O'Brien & Søn 24/7", 'Łódź', 'İstanbul', '7-Eleven', 'ABC株式会社', '☕ Corner'],
  ])('allows %s', (name) => {
    expect(mixesScripts(name)).toBe(false);
  });
});

it('reserves what looks like a name of the service', () => {
  for (const name of ['Трибутари', 'Harbor']) expect(isReservedName(name), name).toBe(false);
  for (const name of ['аdmin', 'Tributаry', 'suрроrt', 'TrIbutary', 'ѕtаff']) {
    expect(isReservedName(name), name).toBe(true);
  }
});
