import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';

/** A series with its last value, as Prometheus scrapes it. */
export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** Reads the text format of Prometheus. */
export function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
        ([, key = '', content = '']) => [key, content] as const,
      );
      return { name, labels: new Map(pairs), value: Number(value) };
    });
}

/** The series that a query selects: a metric, or '' if a label says it, and what its labels must be. */
export interface Selector {
  readonly metric: string;
  readonly matchers: ReadonlyArray<{
    readonly label: string;
    readonly operator: string;
    readonly value: string;
  }>;
}

/** What a query names, by the grammar of Prometheus. @throws {SyntaxError} the query is not valid. */
export function readQuery(query: string): { readonly selectors: Selector[]; readonly groupedBy: string[] } {
  const selectors: Selector[] = [];
  const groupedBy: string[] = [];
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => query.slice(from, to);
  parser.parse(query).iterate({
    enter: ({ type, node }) => {
      if (type.isError) throw new SyntaxError(`not valid PromQL at ${node.from}: ${query}`);
      if (type.name === 'VectorSelector') selectors.push(selectorOf(node, textOf));
      if (type.name === 'GroupingLabels') {
        groupedBy.push(...node.getChildren('LabelName').map(textOf));
      }
    },
  });
  return { selectors, groupedBy };
}

function selectorOf(node: SyntaxNode, textOf: (node: SyntaxNode) => string): Selector {
  const name = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  return {
    metric: name ? textOf(name) : '',
    matchers: matchers.map((matcher) => {
      const [label = '', operator = '', value = ''] = [
        matcher.getChild('LabelName'),
        matcher.getChild('MatchOp'),
        matcher.getChild('StringLiteral'),
      ].map((part) => (part ? textOf(part) : ''));
      return { label, operator, value: JSON.parse(value) as string };
    }),
  };
}

/** The samples that a selector selects. A missing label counts as empty. */
export function selected(samples: readonly Sample[], { metric, matchers }: Selector): Sample[] {
  return samples.filter(
    ({ name, labels }) =>
      (metric === '' || name === metric) &&
      matchers.every(({ label, operator, value }) => {
        const actual = label === '__name__' ? name : (labels.get(label) ?? '');
        if (operator === '=') return actual === value;
        if (operator === '!=') return actual !== value;
        const isMatch = new RegExp(`^(?:${value})$`).test(actual);
        return operator === '=~' ? isMatch : !isMatch;
      }),
  );
}
