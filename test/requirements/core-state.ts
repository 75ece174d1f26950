/** Rules of the bounded stores that survive reloads. */
export default [
  {
    id: 'STATE-1',
    rule: 'A store never holds more entries than maxCount; excess entries are evicted in the order of evict.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-2',
    rule: 'A store never uses more memory than maxBytes, including keys and overhead; a value above it is not kept and evicts nothing.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-3',
    rule: 'An entry lives for ttlMs from when it was set, or last used with ttlFrom use; its own ttlMs takes precedence.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-4',
    rule: 'A group holds at most maxPerGroup entries; its oldest entry is evicted.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-5',
    rule: 'Evicts the entry inserted first (oldest), least recently used (idle) or expiring first (expiring); peek does not count as use.',
    where: 'plugin contract, StoreBounds',
  },
  {
    id: 'STATE-6',
    rule: 'If several callers race for take, exactly one gets the value.',
    where: 'plugin contract, Store.take',
  },
  {
    id: 'STATE-7',
    rule: 'update replaces a value atomically; undefined removes it.',
    where: 'plugin contract, Store.update',
  },
  {
    id: 'STATE-8',
    rule: 'Subscribers are notified of every change with its kind, in order, including changes made while they are notified.',
    where: 'plugin contract, Store.subscribe',
  },
  {
    id: 'STATE-9',
    rule: 'list returns entries in insertion order or newest first, by group, by a condition, up to a limit.',
    where: 'plugin contract, Store.list',
  },
  {
    id: 'STATE-10',
    rule: 'Expired entries free their memory without being accessed.',
    where: 'toolbox 9, last rule of the feed',
  },
  {
    id: 'STATE-11',
    rule: 'Generations of the same code get the same store for the same name, with the newer bounds.',
    where: 'core 10.4; plugin contract, Svc.state',
  },
  {
    id: 'STATE-12',
    rule: 'A plugin whose code changed starts with empty state; the old version keeps its state until it has drained.',
    where: 'core 10.4',
  },
  {
    id: 'STATE-13',
    rule: 'A shared object is created once, and disposed of once with the last generation that uses it.',
    where: 'core 10.6; plugin contract, Svc.shared',
  },
  {
    id: 'STATE-14',
    rule: 'A failed disposal is reported with its plugin and does not affect others.',
    where: 'plugin contract, life of a plugin 9',
  },
  {
    id: 'STATE-15',
    rule: 'Endless inserting keeps count and bytes within their bounds.',
    where: 'specification, Bounded state and caps',
  },
]
