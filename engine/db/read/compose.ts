import type { Fragment, Sql } from '../connection.ts';

/** A statement as the driver takes it: a tagged template, whose texts are the same object each time. */
export interface Statement {
  readonly texts: TemplateStringsArray;
  readonly parameters: readonly Parameter[];
}

/** What stands in a statement as `$n`. */
type Parameter = string | number | boolean | null | readonly string[];

/**
 * Puts a statement together without the driver, to which each part of one is a promise, and which
 * makes the whole text anew each time (docs/performance.md, «Reads»). Of the same templates the text
 * is made once. What is no part of the statement is a parameter, as ever.
 * @param put makes the statement of parts; the `sql` that it is given makes parts and asks nothing.
 * @throws {TypeError} where it is put together of anything else, such as a part of the driver's.
 */
export function compose(sql: Sql, put: (sql: Sql) => Fragment): Statement {
  const whole = requirePart(put(new Proxy(sql, composing)));
  const parameters: Parameter[] = [];
  const place = follow(whole, root, parameters);
  place.texts ??= keep(textsOf(whole));
  return { texts: place.texts, parameters };
}

/** A text as a template without parameters, which is the same for the same text. */
export function templateOf(text: string): TemplateStringsArray {
  const known = templates.get(text);
  if (known !== undefined) return known;
  const made = asTemplate([text]);
  templates.set(text, made);
  return made;
}

const templates = new Map<string, TemplateStringsArray>();

/** A part of a statement: texts, and what stands between them. */
class Part {
  readonly texts: TemplateStringsArray;
  readonly values: readonly unknown[];

  constructor(texts: TemplateStringsArray, values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
  }

  /** Given to the driver, it would be a parameter. */
  toString(): never {
    throw new TypeError('this part was put together for another statement');
  }
}

/** Of `Sql` what parts of statements are made with. */
const composing: ProxyHandler<Sql> = {
  apply: (_sql, _this, [first, ...values]: unknown[]) => {
    if (isTemplate(first)) return new Part(first, values);
    const names: unknown[] = Array.isArray(first) ? first : [first];
    return new Part(templateOf(names.map(identifier).join(',')), []);
  },
  get: (_sql, name) => {
    throw new TypeError(`${String(name)} is not for a statement that is put together`);
  },
};

/** As the driver quotes it: `a.b` is column b of a. */
function identifier(name: unknown): string {
  if (typeof name !== 'string') throw new TypeError(`${String(name)} is no identifier`);
  return `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`;
}

/**
 * A place on the way through a statement's templates, in their order. Each tells how many values
 * follow, so that one way has one text.
 */
interface Place {
  readonly next: Map<TemplateStringsArray | typeof PARAMETER | typeof END, Place>;
  /** Of the statement that ends here. */
  texts?: TemplateStringsArray;
}

const PARAMETER = Symbol('a parameter');
const END = Symbol('the end of a list of parts');

/** Texts that are kept: filters have many combinations. With one more all are forgotten. */
const TEXTS_MOST = 1_000;
let root: Place = { next: new Map() };
let kept = 0;

function keep(texts: TemplateStringsArray): TemplateStringsArray {
  kept += 1;
  if (kept > TEXTS_MOST) {
    root = { next: new Map() };
    kept = 0;
  }
  return texts;
}

function follow({ texts, values }: Part, from: Place, parameters: Parameter[]): Place {
  let place = step(from, texts);
  for (const value of values) {
    if (value instanceof Part) {
      place = follow(value, place, parameters);
    } else if (isParts(value)) {
      for (const part of value) place = follow(part, place, parameters);
      place = step(place, END);
    } else {
      parameters.push(requireParameter(value));
      place = step(place, PARAMETER);
    }
  }
  return place;
}

function step({ next }: Place, key: TemplateStringsArray | typeof PARAMETER | typeof END): Place {
  const known = next.get(key);
  if (known !== undefined) return known;
  const made: Place = { next: new Map() };
  next.set(key, made);
  return made;
}

/** The texts between the parameters. */
function textsOf(whole: Part): TemplateStringsArray {
  const texts: string[] = [];
  let text = '';
  const write = (part: Part) => {
    text += part.texts[0] ?? '';
    for (const [i, value] of part.values.entries()) {
      if (value instanceof Part) write(value);
      else if (isParts(value)) for (const each of value) spaced(each);
      else {
        texts.push(text);
        text = '';
      }
      text += part.texts[i + 1] ?? '';
    }
  };
  const spaced = (part: Part) => {
    text += ' ';
    write(part);
  };
  write(whole);
  return asTemplate([...texts, text]);
}

function asTemplate(texts: readonly string[]): TemplateStringsArray {
  return Object.assign([...texts], { raw: texts });
}

function isTemplate(value: unknown): value is TemplateStringsArray {
  return Array.isArray(value) && 'raw' in value;
}

function isParts(value: unknown): value is readonly Part[] {
  return Array.isArray(value) && value[0] instanceof Part;
}

function requirePart(value: unknown): Part {
  if (value instanceof Part) return value;
  throw new TypeError('a statement is put together of parts');
}

function requireParameter(value: unknown): Parameter {
  if (value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return value;
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new TypeError('a parameter is text, a number, a boolean, null or a list of texts');
}
