/** Rules, conditions, sessions and resets for automated tests. */
export default [
  {
    id: 'MATCH-1',
    rule: 'Conditions on method, path, host, headers, query, cookies, body, session and client are joined by and.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-2',
    rule: 'A path template has {name} and * for a segment and ** for the rest; the others are compared decoded.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-3',
    rule: 'A value test is a plain value or a set of operators joined by and; an absent value passes only exists: false and not.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-4',
    rule: 'JSON bodies are tested at JSON pointers, by JSONPath, or for what they contain.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-5',
    rule: 'Patterns have RE2 syntax and run in linear time; evaluations of JSONPath are bounded.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-6',
    rule: 'A wrong condition is an error with its place, what was expected, and the nearest known name.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-7',
    rule: 'Conditions that do not hold are explained with their place, what was expected and what the request has.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-8',
    rule: 'Plugins register protocols with conditions of their own; these never hold for requests of another protocol.',
    where: 'docs/testing.md',
  },
  {
    id: 'MATCH-9',
    rule: 'Rules are indexed by method and literal path prefix: the others are not tested.',
    where: 'docs/testing.md',
  },
]
