/**
 * Rejects words that docs/reference/glossary.md replaces, in prose and in names; comments that do not name their
 * subject; test names that are not sentences; and lines and sentences of pages that are too long.
 * `npm run check:prose -- engine/db docs` checks the files below those folders.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');

/** What must not be written in prose, and what to write instead. */
const words: readonly (readonly [RegExp, string])[] = [
  [/[«»]/, 'ASCII quotes'],
  [/\bat once\b/i, 'concurrently or immediately'],
  [/\banew\b/i, 'again'],
  [/\bbeside\b/i, 'next to, in addition to'],
  [/\bby (itself|themselves)\b/i, 'alone or automatically'],
  [/\b(whoever|nobody)\b/i, 'name the process or caller'],
  [/\bthe very\b/i, 'the same, exactly'],
  [/\bbut for\b/i, 'except'],
  [/\b(told|tells)\b/i, 'returned, reported, published, expected, says'],
  [/\breckon(s|ed|ing)?\b/i, 'compute'],
  [/\b(takes?|taken|took|taking) back\b/i, 'roll back, retract'],
  [/\bput right\b/i, 'corrected'],
  [/\bgiven again\b/i, 'cached'],
  [/\bkept\b/i, 'cached, stored, retained, remaining'],
  [/\b(stands|stood)\b/i, 'is, was'],
  [/\bstandings?\b/i, 'state, position'],
  [/\bfigures\b/i, 'metrics, totals, fields, numbers'],
  [/\btroubles?\b/i, 'discrepancy, violation, alarm, issue or error'],
  [/\bloose\b/i, 'not yet counted, delta'],
  [/\bdear\b/i, 'expensive'],
  [/\bwhere there (is|are) (no|none)\b/i, 'if there is no'],
  [/\b(a|an|each|every|next|the|last|whole|one) looks?\b(?!-)/i, 'tick, poll, read'],
];

/** Words that no declared name may have, nor a column, a table or a metric, and what to write instead. */
const nameWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    told: 'sent, returned, published, expected',
    kept: 'cached, stored, checked, remaining',
    stand: 'state, compared, valid',
    stands: 'state, compared, valid',
    stood: 'state, compared, valid',
    standing: 'state, valid',
    standings: 'states',
    trouble: 'error, alarm, fault',
    troubles: 'errors, alarms, faults',
    looks: 'ticks, polls, reads',
    reckon: 'compute',
    loose: 'open, delta',
    anew: 'again',
    beside: 'next',
    nobody: 'none, outsider',
    whoever: 'name the process or caller',
    calm: 'healthy, unchanged',
    fine: 'valid, healthy',
    bell: 'signal',
    figures: 'values, fields, totals',
    'taken back': 'retracted, rolled back, stale',
    'take back': 'retract, roll back',
  }),
);

/** Names of the API, of configuration, and of a check of bundles, which cannot change. */
const publicNames = new Set(['ANSWERS_KEPT_MIB', 'figures', 'keptShare', 'standing']);

/** Former names of tables and columns, for processes of release 0.1: by file, `*` for all of them. Not needed with the next release. */
const formerNames: Readonly<Record<string, readonly string[] | '*'>> = {
  'engine/db/tables/ledger.ts': ['told', 'taken_back', 'trouble'],
  'engine/db/heads.ts': ['looks'],
  'engine/db/read/replication/head-version.ts': ['looks'],
  'bench/replicas.ts': ['looks'],
  'engine/db/migrations/0058_plain_names.sql': '*',
  'test/backup/backup.test.ts': ['told', 'taken_back'],
  'test/db/former-names.test.ts': '*',
};

/** A comment of product code must make sense as hover text, alone. */
const commentStart: readonly (readonly [RegExp, string])[] = [
  [/^Of\b/, 'begin with the noun that this is about'],
  [/^The same\b/, 'say it in full: a hover text has no text above it'],
  [/^What\b/, 'begin with the noun that this is about'],
  [/^Whether it\b/, 'True if …, naming what is true'],
];

/** A test name begins with a verb in the third person, or is a sentence with a subject. */
const testStart =
  /^(is|are|was|were|be|being|has|have|had|do|does|of|by|with|where|who|whose|whom|which|that|than|and|but|nor|too|to|in|on|at|for|from|so|also|it|never|cannot|may|must|can|could|tell|hold|answer|give|keep|come|agree|refuse|leave|go|take|share|skip|say)\b(?!\.)/i;

/** Pages whose lines and sentences are limited. */
const limited = /^(docs\/.*|examples\/.*|README|CONTRIBUTING|SECURITY)\.md$/;

/** Migrations that were applied cannot change; later ones have the words of the glossary. */
const LAST_FREE_MIGRATION = 'engine/db/migrations/0057_pending_deliveries.sql';

const MAX_COLUMNS = 120;
const MAX_SENTENCE_WORDS = 30;

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Pages whose subject is the words themselves. */
const exempt = new Set(['docs/reference/glossary.md', 'scripts/check-prose.ts']);

const folders = process.argv.slice(2);
const findings = execFileSync('git', ['ls-files', '--', ...folders], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !exempt.has(file) && !/^abis\/|\/vectors\//.test(file))
  .flatMap(findingsOf);
for (const { file, line, message } of findings) console.log(`${file}:${line}: ${message}`);
if (findings.length > 0) {
  console.error(
    `${findings.length} places to reword: docs/reference/glossary.md says which word means what.`,
  );
  process.exitCode = 1;
}

function findingsOf(file: string): readonly Finding[] {
  const text = () => readFileSync(join(root, file), 'utf8');
  switch (extname(file)) {
    case '.ts':
    case '.tsx':
    case '.mjs':
    case '.cjs':
      return inCode(file, text());
    case '.md':
      return inMarkdown(file, text());
    case '.sol':
    case '.css':
      return inLines(file, text());
    case '.sql':
      return file > LAST_FREE_MIGRATION ? inSql(file, text()) : [];
    default:
      return [];
  }
}

function inCode(file: string, text: string): readonly Finding[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Finding[] = [];
  const isTest = file.startsWith('test/') || file.endsWith('.test.ts');
  const at = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const check = (prose: string, position: number, rules = words) => {
    for (const message of broken(prose, rules)) found.push({ file, line: at(position), message });
  };
  for (const { pos, end } of commentsOf(source, text)) {
    const comment = text.slice(pos, end);
    check(comment, pos);
    if (comment.startsWith('/**') && !isTest) check(proseOf(comment), pos, commentStart);
  }
  const visit = (node: ts.Node): void => {
    if (isProse(node)) check(node.text, node.getStart(source));
    for (const name of namesIn(node)) {
      for (const message of brokenName(file, name)) {
        found.push({ file, line: at(node.getStart(source)), message });
      }
    }
    const name = testName(node);
    if (name !== undefined && testStart.test(name.text)) {
      const message = `test name "${name.text}": begin with a verb, or write a whole sentence`;
      found.push({ file, line: at(name.getStart(source)), message });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** A text with more than one word is for people; others are names and keys. SQL is code. */
function isProse(node: ts.Node): node is ts.LiteralLikeNode | ts.JsxText {
  if (ts.isJsxText(node)) return true;
  if (!ts.isStringLiteralLike(node) && !isTemplatePart(node)) return false;
  return (
    !ts.isTaggedTemplateExpression(templateOf(node).parent) && /[a-z]{2} [a-z]/i.test(node.text)
  );
}

/** The whole template of one of its parts; another text itself. */
function templateOf(node: ts.LiteralLikeNode): ts.Node {
  if (!isTemplatePart(node)) return node;
  return ts.isTemplateHead(node) ? node.parent : node.parent.parent;
}

function isTemplatePart(
  node: ts.Node,
): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
}

/** Names that a node declares; those in SQL; and a text that is one, as of a column, a table or a metric. */
function namesIn(node: ts.Node): readonly string[] {
  if (isTemplatePart(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return ts.isTaggedTemplateExpression(templateOf(node).parent) ? namesInSql(node.text) : [];
  }
  if (ts.isStringLiteral(node)) return /^[a-z]\w*([._]\w+)+$/.test(node.text) ? [node.text] : [];
  if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return [];
  const { parent } = node;
  // What others declare is used or imported under their names.
  if (ts.isPropertyAccessExpression(parent) || ts.isImportSpecifier(parent)) return [];
  return (parent as ts.NamedDeclaration).name === node ? [node.text] : [];
}

/** The words of SQL outside of quotes and comments. */
function namesInSql(text: string): readonly string[] {
  return text.replace(/'[^']*'|--.*$/gm, '').match(/[a-z_]\w*/gi) ?? [];
}

/** Comments are prose, except the one that names the tables whose writers wait. */
function inSql(file: string, text: string): readonly Finding[] {
  return text.split('\n').flatMap((line, i) => {
    const [, sql = '', comment = ''] = /^(?:-- locks: )?(.*?)(--.*)?$/.exec(line) ?? [];
    const messages = [
      ...broken(comment, words),
      ...namesInSql(sql).flatMap((name) => brokenName(file, name)),
    ];
    return messages.map((message) => ({ file, line: i + 1, message }));
  });
}

/** The first argument of `it` or `test`, with or without `.each`, `.skipIf` and the like. */
function testName(node: ts.Node): ts.LiteralLikeNode | ts.TemplateHead | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  let callee: ts.Expression = node.expression;
  while (
    ts.isCallExpression(callee) ||
    ts.isPropertyAccessExpression(callee) ||
    ts.isTaggedTemplateExpression(callee)
  ) {
    callee = ts.isTaggedTemplateExpression(callee) ? callee.tag : callee.expression;
  }
  if (!ts.isIdentifier(callee) || !['it', 'test'].includes(callee.text)) return undefined;
  const [name] = node.arguments;
  if (name === undefined) return undefined;
  if (ts.isTemplateExpression(name)) return name.head.text === '' ? undefined : name.head;
  return ts.isStringLiteralLike(name) ? name : undefined;
}

function commentsOf(source: ts.SourceFile, text: string): readonly ts.CommentRange[] {
  const ranges = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.JsxText) return;
    for (const range of [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ]) {
      ranges.set(range.pos, range);
    }
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...ranges.values()];
}

/** A comment without its stars. */
function proseOf(comment: string): string {
  return comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^\s*\* ?/gm, '')
    .trim();
}

function inMarkdown(file: string, text: string): readonly Finding[] {
  const withoutBlocks = text.replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ''));
  const withoutCode = withoutBlocks.replace(/`[^`\n]*`/g, '``').replace(/\]\([^)]*\)/g, ']()');
  const found = inLines(file, withoutCode);
  return limited.test(file) ? [...found, ...tooLong(file, withoutBlocks)] : found;
}

/** Lines that are too wide, and sentences of too many words. Tables, headings and images may be long. */
function tooLong(file: string, text: string): readonly Finding[] {
  const found: Finding[] = [];
  let paragraph: string[] = [];
  let first = 0;
  const endParagraph = () => {
    for (const words of sentencesOf(paragraph.join(' ')).map(wordsOf)) {
      if (words.length <= MAX_SENTENCE_WORDS) continue;
      const message = `${words.length} words in "${words.slice(0, 6).join(' ')} …": split the sentence`;
      found.push({ file, line: first, message });
    }
    paragraph = [];
  };
  for (const [i, line] of text.split('\n').entries()) {
    const item = /^\s*([-*]|\d+\.) /.exec(line)?.[0] ?? '';
    const isProse = !/^\s*($|[|#<]|!\[)/.test(line);
    if (!isProse || item !== '') endParagraph();
    if (!isProse) continue;
    if (paragraph.length === 0) first = i + 1;
    paragraph.push(line.slice(item.length).trim());
    if (line.length > MAX_COLUMNS) {
      found.push({ file, line: i + 1, message: `${line.length} columns: wrap at ${MAX_COLUMNS}` });
    }
  }
  endParagraph();
  return found;
}

/** A full stop ends a sentence if what follows can begin one: a capital, a code word, a quote or a link. */
function sentencesOf(paragraph: string): readonly string[] {
  return paragraph
    .replace(/`[^`]*`/g, 'X')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/(?<=[.!?][)"*]*)\s+(?=[A-Z"([*])/);
}

function wordsOf(sentence: string): readonly string[] {
  return sentence.split(/\s+/).filter((word) => /\w/.test(word));
}

function inLines(file: string, text: string): readonly Finding[] {
  return text
    .split('\n')
    .flatMap((line, i) => broken(line, words).map((message) => ({ file, line: i + 1, message })));
}

function broken(prose: string, rules: readonly (readonly [RegExp, string])[]): readonly string[] {
  return rules.flatMap(([rule, instead]) => {
    const match = rule.exec(prose);
    return match === null ? [] : [`"${match[0]}": ${instead}`];
  });
}

/** Compares a name by its words, however it is written: `lastSeen`, `last_seen`, `LAST_SEEN`. */
function brokenName(file: string, name: string): readonly string[] {
  const former = formerNames[file] ?? [];
  if (publicNames.has(name) || former === '*' || former.includes(name)) return [];
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
  const pairs = parts.map((part, i) => `${part} ${parts[i + 1] ?? ''}`);
  return [...parts, ...pairs].flatMap((word) => {
    const instead = nameWords.get(word);
    return instead === undefined ? [] : [`"${word}" in the name ${name}: ${instead}`];
  });
}
