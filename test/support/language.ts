/** Words and phrases that the project avoids, and what to write instead. They are looked for in texts, comments and names. */

export interface Rule {
  /** What is found; always without regard to case. */
  avoid: RegExp
  write: string
}

/** Phrases in texts: documentation, messages, comments, names of tests. */
export const PHRASES: readonly Rule[] = [
  {
    avoid: /\b(?:stands?|stood) (?:in|at|here|there|on|below|above|before|beside|between|alone)\b/i,
    write: 'is in, is listed in, comes before',
  },
  { avoid: /\b(?:is|are|be|being|was|were|been) told\b|\btold (?:of|to|by)\b/i, write: 'is notified, is reported' },
  { avoid: /\bhears? (?:of|about|from)\b/i, write: 'is notified of' },
  { avoid: /\b(?<!all)(?<!never-)settle[sd]?\b(?!-up)/i, write: 'flush, resolve, decide, determine' },
  { avoid: /(?<!\bthere )\b(?:is|are|was|were) no(?! longer\b| more\b|\.)\b/i, write: 'is not a …, has no …' },
  { avoid: /\b(?:so|that) many\b/i, write: 'the number itself' },
  { avoid: /(?<!\bthere )\b(?:is|are) none\b/i, write: 'is not a …, there is no …, has none' },
  { avoid: /\b(?:taken?|takes|took) over\b/i, write: 'propagated, used, handled by' },
  { avoid: /\b(?:says?|said|saying) back\b/i, write: 'echoes, echoed' },
  { avoid: /\bforetold\b|\bforetells?\b/i, write: 'predictable' },
  { avoid: /\bfailing share\b/i, write: 'failure rate' },
  {
    avoid: /\b(?:the house|house rules?|rooms?|doors?|entrances?|journals?|shel(?:f|ves)|letters? of)\b/i,
    write: 'architecture, module, plugin definition, request handler, batch, store',
  },
  // `usage=beside` is an item of X-Svc-Stream-Shape.
  { avoid: /(?<![='])\bbeside\b/i, write: 'alongside, next to, besides, in addition to' },
  { avoid: /\bwhose no\b/i, write: 'what rejected the request' },
  { avoid: /\bcalled otherwise\b|\bsomebody else's\b/i, write: 'has another name, is an unrelated project' },
  {
    avoid:
      /\b(?:foregoing|thereof|therein|whereof|wherein|hereof|hitherto|likewise|forthwith|whereupon|thereupon|thereby)\b/i,
    write: 'a plain word',
  },
  { avoid: /\bspeaks? of\b|\bspoken of\b/i, write: 'mentions, is about' },
  { avoid: /\bmakes? (?:something )?of it\b|\bmade of it\b/i, write: 'turns it into, does with it' },
  { avoid: /\bwhat (?:there is|is there)\b/i, write: 'the available …, what exists' },
  { avoid: /\b(?:has|have) gone\b/i, write: 'has disconnected, no longer exists' },
  { avoid: /\bby its? own means\b|\bof one's own\b/i, write: 'its own' },
  { avoid: /\beras\b/i, write: 'protocol revisions' },
  { avoid: /\bas (?:it|they) stands?\b/i, write: 'unchanged, as shown' },
  { avoid: /\bthe own\b/i, write: 'its own' },
  { avoid: /\b(?:is|are|was|were) away\b/i, write: 'is unavailable' },
  { avoid: /\bblanks\b/i, write: 'spaces' },
  { avoid: /\banew\b/i, write: 'again' },
  { avoid: /\blies? (?:below|behind|there)\b/i, write: 'is below, is after' },
  { avoid: /\bheed(?:s|ed|ing)?\b/i, write: 'respects, follows' },
  { avoid: /\bunder way\b/i, write: 'in progress' },
  { avoid: /\bmend(?:s|ed|ing)?\b/i, write: 'fix' },
  { avoid: /\btokens? to order\b/i, write: 'custom tokens' },
  {
    avoid: /(?:\/\*\*|[;,.]) answers (?:whether|the|its|an?|null|undefined|true|false|what)\b/i,
    write: 'returns, handles',
  },
  { avoid: /\bof no (?:use|interest)\b/i, write: 'useless, ignored' },
  { avoid: /\bh[au]ngs? on\b/i, write: 'belongs to, depends on' },
  { avoid: /\b(?:that|which|what) (?:is|are|was|were) there\b/i, write: 'existing, that exists' },
  { avoid: /\bclients? (?:that|who) (?:leaves?|left|vanish(?:es)?)\b/i, write: 'clients that disconnect' },
  { avoid: /\b(?:is|are|was|were|be|been) looked (?:at|for|into)\b/i, write: 'is checked, is searched' },
  { avoid: /\b(?:is|are|was|were|be|been) asked for\b/i, write: 'is requested' },
  { avoid: /\bcan not\b(?! only)/i, write: 'cannot' },
  { avoid: /\btime-outs?\b|\bset-ups?\b/i, write: 'timeout, setup' },
  { avoid: /\blets? pass\b/i, write: 'allows, accepts' },
  { avoid: /\btak(?:e|es|en|ing) (?:(?:the |its |a )\w+ )?off\b/i, write: 'strips, removes' },
  { avoid: /\bwhole (?:answers?|repl(?:y|ies))\b/i, write: 'complete response' },
  { avoid: /\ball the same\b(?! as\b)|\bas ever\b/i, write: 'anyway, as usual' },
  {
    avoid: /\b(?:behaviour|colour|honour|favour|neighbour|catalogue|licence|grey|centre)/i,
    write: 'American spelling: behavior, color, catalog, license',
  },
  {
    avoid:
      /\b(?:normal|serial|initial|recogn|organ|author|custom|optim|synchron|token|summar|sanit|util|minim|maxim|capital|general|special|final|categor)is(?:e|es|ed|ing|er|ers|ation)\b/i,
    write: 'American spelling: -ize',
  },
]

/** Names of files, types, functions and variables. */
export const NAMES: readonly Rule[] = [
  { avoid: /\bdoors?\b|Doors?\b/, write: 'definition' },
  { avoid: /\brooms\b|Rooms\b/, write: 'services' },
  { avoid: /[eE]ntrance/, write: 'requestHandler' },
  { avoid: /\bjournal|Journal/, write: 'batch, log' },
  { avoid: /[aA]rrangement|\barrange\b/, write: 'resolution, resolve' },
  { avoid: /\bwish(?:es)?\b|Wish(?:es)?\b/, write: 'spec, requested' },
  { avoid: /[vV]erdicts?\b/, write: 'decision, result' },
  { avoid: /\bremembering\b/, write: 'memoize' },
  { avoid: /\bonFirstUse\b/, write: 'lazy' },
  { avoid: /\bfinishWords\b/, write: 'finishReasons' },
  { avoid: /\bheadLines\b|\bHeadLines\b/, write: 'headerLineCache' },
  { avoid: /\bownHeaders\b/, write: 'defaultHeaders' },
  { avoid: /[tT]ake(?:n)?Over/, write: 'mediaTypeHandler' },
  { avoid: /\bConnectionUse\b/, write: 'ConnectionActivity' },
  { avoid: /\bclass (?:Chain|Ring|Directory)\b/, write: 'LinkedList, RingBuffer, ProviderRegistry' },
  // In quotes it is a value of the setting iss_parameter.
  { avoid: /(?<!')[uU]nannounced/, write: 'raw' },
  { avoid: /[cC]atalogue|[cC]olour|[bB]ehaviour/, write: 'catalog, color, behavior' },
  // In quotes it is a member of X-Svc-Reply-Json.
  { avoid: /\bto(?:ld|ldOf)\b|(?<!['"])\bheard\b(?!: expected)/, write: 'reported, notified' },
  { avoid: /\beras?\b|\bEras?\b/, write: 'protocolRevision' },
  { avoid: /\bshel(?:f|ves)\b|Shel(?:f|ves)\b/, write: 'store' },
]
