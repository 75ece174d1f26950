/** What the configuration, `svc.yaml`, the check of options and the log promise. */
export default [
  {
    id: 'ENV-1',
    rule: 'values are trimmed and an empty one counts as unset, except that of SVC_CORS_ORIGINS',
    where: 'specification, Configuration',
  },
  {
    id: 'ENV-2',
    rule: 'an invalid value gives the default and one warning with the variable, the value and what was expected',
    where: 'core 2',
  },
  {
    id: 'ENV-3',
    rule: 'numbers are decimal digits within their range; the inspector capacity is clamped with a warning',
    where: 'core 2',
  },
  {
    id: 'ENV-4',
    rule: 'booleans are 1, true, yes, on and 0, false, no, off in any case',
    where: 'specification, Configuration',
  },
  {
    id: 'ENV-5',
    rule: 'an unknown SVC_ variable gives one warning that suggests the nearest known name',
    where: 'core 2',
  },
  { id: 'ENV-6', rule: 'no warning and no view of the configuration contains a secret', where: 'core 2' },
  {
    id: 'ENV-7',
    rule: 'hosted mode means control authentication jwt, JSON logs and no watching unless their variables say otherwise',
    where: 'specification, Configuration; limits 3',
  },
  {
    id: 'ENV-8',
    rule: 'an override replaces one value of the plan; without a plan, the plan becomes custom',
    where: 'limits 2',
  },
  { id: 'ENV-9', rule: "an invalid override is ignored and the plan's value stays", where: 'limits 2' },
  { id: 'ENV-10', rule: 'requiring a key turns shared mode on, with a warning', where: 'limits 8' },
  {
    id: 'ENV-11',
    rule: 'public mode caps delays at 10 s, rejects push notifications to any host and does not watch files',
    where: 'core 2; a2a',
  },
  {
    id: 'ENV-12',
    rule: 'entries of origin and push lists that cannot match anything are dropped with a warning',
    where: 'core 5; a2a',
  },
  {
    id: 'ENV-13',
    rule: 'console title and back link cannot contain control characters, markup or other URL schemes',
    where: 'core 2',
  },
  { id: 'ENV-14', rule: 'a warning is printed if control authentication rejects everybody', where: 'limits 3' },
  {
    id: 'VIEW-1',
    rule: 'the effective view has every field of the table; of secrets it shows only whether they are configured',
    where: 'core 2',
  },
  {
    id: 'VIEW-2',
    rule: 'limits have the same form as in the usage record; limits that are off are null',
    where: 'limits 2',
  },
  {
    id: 'YAML-1',
    rule: 'the file is --config, otherwise SVC_CONFIG_FILE, otherwise ./svc.yaml if it exists; it is an error if a configured file is missing',
    where: 'core 10.3',
  },
  {
    id: 'YAML-2',
    rule: 'a file that cannot be read, is larger than 1 MiB, or is not a YAML mapping is one load error',
    where: 'core 10.3',
  },
  { id: 'YAML-3', rule: 'aliases, cycles and nesting are limited', where: 'core 10.3, 11' },
  {
    id: 'YAML-4',
    rule: 'YAML 1.2 core: yes and dates are strings, << and __proto__ are ordinary keys',
    where: 'core 10.3',
  },
  { id: 'YAML-5', rule: 'the line and column of each item are available', where: 'core 10.3' },
  {
    id: 'YAML-6',
    rule: 'invalid items of the section plugins are left out; the others apply',
    where: 'core 10.2, 10.3',
  },
  { id: 'YAML-7', rule: 'in public mode load errors show only the base name of the file', where: 'core 10.3' },
  {
    id: 'OPT-1',
    rule: 'the innermost list entry that contains an error is left out; outside lists, the top-level key is',
    where: 'core 10.3',
  },
  { id: 'OPT-2', rule: 'defaults of the schema are filled in, and the input is not changed', where: 'core 10.3' },
  {
    id: 'OPT-3',
    rule: 'for unknown keys the nearest known one is suggested, and messages do not show values',
    where: 'core 10.3',
  },
  {
    id: 'OPT-4',
    rule: 'errors have the position of the item in the file, even after other items were left out',
    where: 'core 10.3',
  },
  {
    id: 'OPT-5',
    rule: 'of several alternatives, the message describes the one that was probably intended',
    where: 'core 10.3',
  },
  { id: 'OPT-6', rule: 'a schema is compiled once per cache', where: 'core 10.3' },
  {
    id: 'OPT-7',
    rule: 'a section that lacks a required member is left out and reported as invalid',
    where: 'core 10.3',
  },
  {
    id: 'LOG-1',
    rule: 'the JSON form is one object per line: timestamp, level as a word, message, then fields',
    where: 'limits 7',
  },
  { id: 'LOG-2', rule: 'the text form is one line per event, in color only on a terminal', where: 'limits 7' },
  { id: 'LOG-3', rule: 'control characters are escaped in both forms', where: 'limits 7' },
  {
    id: 'LOG-4',
    rule: 'of a filter list the last bare level counts, otherwise the first target, otherwise info',
    where: 'limits 7',
  },
  { id: 'LOG-5', rule: 'start-up lines are printed at every level', where: 'core 1.1' },
  {
    id: 'LOG-6',
    rule: 'in an idle process, lines appear on standard output immediately, and no line is lost at exit',
    where: 'limits 7',
  },
  {
    id: 'LOG-7',
    rule: 'a slow, stalled or closed reader of standard output loses lines and never affects the service',
    where: 'limits 7',
  },
]
