/** Rules of the bounded state that outlives a reload. */
export default [
  {
    id: 'STATE-1',
    rule: 'A store never holds more entries than maxCount; what is over it is evicted in the order of evict.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-2',
    rule: 'A store never holds more memory than maxBytes, keys and its own records included; a value over it by itself is not kept and displaces nothing.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-3',
    rule: 'An entry lives ttlMs from when it was set, or last used with ttlFrom use; its own ttlMs counts before that of the bounds.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-4',
    rule: 'A group holds at most maxPerGroup entries; its own oldest goes first.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-5',
    rule: 'Evicts the first inserted with oldest, the least recently used with idle, the first to expire with expiring; peek is no use.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-6',
    rule: 'Of several callers of take exactly one gets the value.',
    where: 'plugin contract, Store.take',
  },
  {
    id: 'STATE-7',
    rule: 'update replaces a value with nobody between; undefined removes it.',
    where: 'plugin contract, Store.update',
  },
  {
    id: 'STATE-8',
    rule: 'Subscribers hear of every change with its kind, in order, also of changes made while they are told.',
    where: 'plugin contract, Store.subscribe',
  },
  {
    id: 'STATE-9',
    rule: 'list answers in insertion order or newest first, by group, by a condition, up to a limit.',
    where: 'plugin contract, Store.list',
  },
  {
    id: 'STATE-10',
    rule: 'Expired entries free their memory without being visited.',
    where: 'toolbox 9, last rule of the feed',
  },
  {
    id: 'STATE-11',
    rule: 'The same name gives the same store in every generation of the same code, under the newer bounds.',
    where: 'core 10.4; plugin contract, Svc.state',
  },
  {
    id: 'STATE-12',
    rule: 'A plugin whose code changed starts with empty state; the old version keeps its own until it has drained.',
    where: 'core 10.4',
  },
  {
    id: 'STATE-13',
    rule: 'A shared object is made once and disposed of once, with the last generation that holds it.',
    where: 'core 10.6; plugin contract, Svc.shared',
  },
  {
    id: 'STATE-14',
    rule: 'A disposal that fails is reported with its plugin and disturbs no other.',
    where: 'plugin contract, life of a plugin 9',
  },
  {
    id: 'STATE-15',
    rule: 'Inserting without end keeps count and bytes at their bounds.',
    where: 'specification, Bounded state and caps',
  },
  {
    id: 'STATE-21',
    rule: 'Entries of an event log are numbered from 1 by stream, and a number is never used twice.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-22',
    rule: 'An event log is bounded in entries and bytes, by stream and in all; the oldest go first.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-23',
    rule: 'A follower gets what is kept after a number and then what comes, in order and once.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-24',
    rule: 'A stream ends with the entry of its store, or some time after its last entry.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-25',
    rule: 'A replicated value is there before the first request; updates apply in turn.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-26',
    rule: 'Messages reach every living replica in turn; asking one that is gone fails at once.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-27',
    rule: 'A replica without a shared store is alone, its own leader, and has secrets of its own.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-28',
    rule: 'Strict stores return copies, take plain JSON only, and may run a change twice.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-29',
    rule: 'Numbers are incremented atomically, and entries of a group are counted.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-30',
    rule: 'Spare entries are evicted and listed before the others, in all and within their group.',
    where: 'docs/state.md',
  },
  {
    id: 'STATE-31',
    rule: 'Everything that a built-in plugin keeps between requests is in a table, with its place when replicas share a store.',
    where: 'docs/state.md',
  },
]
