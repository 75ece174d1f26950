/** Sample words for generated strings, chosen by member name or by seed. */
import type { SeededRandom } from './seed.ts'

/** Suffixes of member names (lower case, without separators), longest first, with sample values. */
const BY_NAME: [string, readonly string[]][] = [
  ['email', ['ada@example.com', 'linus@example.com', 'grace@example.com']],
  ['firstname', ['Ada', 'Grace', 'Linus', 'Maya']],
  ['givenname', ['Ada', 'Grace', 'Linus', 'Maya']],
  ['lastname', ['Berger', 'Hansen', 'Okafor', 'Tanaka']],
  ['familyname', ['Berger', 'Hansen', 'Okafor', 'Tanaka']],
  ['username', ['ada', 'grace', 'linus', 'maya']],
  ['login', ['ada', 'grace', 'linus', 'maya']],
  ['filename', ['report.pdf', 'notes.txt', 'photo.png']],
  ['name', ['Aurora', 'Beacon', 'Cedar', 'Delta']],
  ['city', ['Lisbon', 'Oslo', 'Nairobi', 'Osaka']],
  ['country', ['PT', 'NO', 'KE', 'JP']],
  ['currency', ['EUR', 'USD', 'JPY']],
  ['language', ['en', 'de', 'pt']],
  ['locale', ['en-US', 'de-DE', 'pt-PT']],
  ['timezone', ['Europe/Lisbon', 'Asia/Tokyo', 'UTC']],
  ['phone', ['+15550100', '+15550101', '+15550102']],
  ['street', ['Harbour Road 1', 'Mill Lane 12', 'Station Street 7']],
  ['address', ['Harbour Road 1', 'Mill Lane 12', 'Station Street 7']],
  ['postalcode', ['10115', '0150', '1000-001']],
  ['zip', ['10115', '01500', '90210']],
  ['title', ['First light', 'Second draft', 'Third party']],
  ['description', ['A short description.', 'What it is about.', 'Some more words on it.']],
  ['summary', ['A short summary.', 'In a few words.']],
  ['message', ['All is well.', 'Please try again.', 'Nothing to report.']],
  ['status', ['active', 'pending', 'done']],
  ['state', ['open', 'closed', 'waiting']],
  ['color', ['teal', 'amber', 'violet']],
  ['colour', ['teal', 'amber', 'violet']], // language: member names in documents can have British spelling
  ['version', ['1.0.0', '1.2.0', '2.1.3']],
  ['url', ['https://example.com/a', 'https://example.com/b']],
  ['uri', ['https://example.com/a', 'https://example.com/b']],
  ['href', ['https://example.com/a', 'https://example.com/b']],
  ['sku', ['A-100', 'B-200', 'C-300']],
]
const OTHERS = [
  'amber',
  'birch',
  'coral',
  'dune',
  'ember',
  'fjord',
  'grove',
  'harbor',
  'iris',
  'jade',
  'kelp',
  'lagoon',
] as const

/** A sample word for a member with that name. */
export function wordFor(name: string, random: SeededRandom): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  const list = BY_NAME.find(([ending]) => plain.endsWith(ending))?.[1] ?? OTHERS
  return random.pick(list) ?? ''
}
