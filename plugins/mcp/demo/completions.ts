/** Owns the values that `completion/complete` offers for prompts and templates. */

export const STYLES = ['bullets', 'paragraph', 'tldr']
export const FOCUSES = ['correctness', 'performance', 'readability', 'security']
export const SEVERITIES = ['sev1', 'sev2', 'sev3', 'sev4']
export const LANGUAGES = [
  'c',
  'cpp',
  'csharp',
  'go',
  'java',
  'javascript',
  'kotlin',
  'python',
  'ruby',
  'rust',
  'swift',
  'typescript',
]
export const SERVICES = [
  'api-gateway',
  'auth-service',
  'billing',
  'checkout',
  'inventory',
  'notifications',
  'orders',
  'payments',
  'search',
]
export const CITIES = [
  'Amsterdam',
  'Berlin',
  'Cape Town',
  'Lisbon',
  'London',
  'New York',
  'Paris',
  'San Francisco',
  'Singapore',
  'Sydney',
  'Tokyo',
  'Toronto',
]
