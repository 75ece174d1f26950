/** Rules of the configuration, `svc.yaml`, the validation of options, and the log. */
export default [
  {
    id: 'ENV-1',
    rule: 'values are trimmed and an empty value counts as unset, except for SVC_CORS_ORIGINS',
    where: 'specification, Configuration',
  },
  {
    id: 'ENV-2',
    rule: 'an invalid value gives the default and one warning that contains the variable, the value and the expected form',
    where: 'core 2',
  },
  {
    id: 'ENV-3',
    rule: 'numbers are decimal digits within their range; the inspector capacity is clamped with a warning',
    where: 'core 2',
  },
  {
    id: 'ENV-4',
    rule: 'booleans are 1, true, yes, on and 0, false, no, off, case-insensitive',
    where: 'specification, Configuration',
  },
  { id: 'ENV-5', rule: 'an unknown SVC_ variable gives one warning with the closest known name', where: 'core 2' },
  { id: 'ENV-6', rule: 'warnings and the effective view never contain a secret value', where: 'core 2' },
  {
    id: 'ENV-7',
    rule: 'hosted mode sets control authentication to jwt, logs to JSON and watching to off unless their own variables are set',
    where: 'specification, Configuration; limits 3',
  },
  {
    id: 'ENV-8',
    rule: 'an override replaces one value of the plan; without a plan the plan becomes custom',
    where: 'limits 2',
  },
  { id: 'ENV-9', rule: 'an invalid override keeps the value of the plan and has no other effect', where: 'limits 2' },
  { id: 'ENV-10', rule: 'requiring a key turns shared mode on, with a warning', where: 'limits 8' },
  {
    id: 'ENV-11',
    rule: 'public mode caps delays at 10 s, rejects pushes to arbitrary hosts and does not watch files',
    where: 'core 2; a2a',
  },
  {
    id: 'ENV-12',
    rule: 'entries of origin and push lists that can never match are ignored with a warning',
    where: 'core 5; a2a',
  },
  {
    id: 'ENV-13',
    rule: 'console title and back link cannot contain control characters, markup or another scheme',
    where: 'core 2',
  },
  { id: 'ENV-14', rule: 'control authentication that rejects everybody gives a warning', where: 'limits 3' },
  {
    id: 'VIEW-1',
    rule: 'the effective view has every field of the table; for secrets it only shows whether they are configured',
    where: 'core 2',
  },
  {
    id: 'VIEW-2',
    rule: 'limits have the same form as in the usage record; limits that are off are null',
    where: 'limits 2',
  },
  {
    id: 'YAML-1',
    rule: 'the file is --config, else SVC_CONFIG_FILE, else ./svc.yaml if it exists; a file given explicitly that is missing is an error',
    where: 'core 10.3',
  },
  {
    id: 'YAML-2',
    rule: 'a file that cannot be read, exceeds 1 MiB, or is not a valid YAML mapping gives one load error',
    where: 'core 10.3',
  },
  { id: 'YAML-3', rule: 'aliases, cycles and nesting are bounded', where: 'core 10.3, 11' },
  {
    id: 'YAML-4',
    rule: 'YAML 1.2 core schema: yes and dates are strings, << and __proto__ are ordinary keys',
    where: 'core 10.3',
  },
  { id: 'YAML-5', rule: 'the line and column of an item can be looked up', where: 'core 10.3' },
  {
    id: 'YAML-6',
    rule: 'invalid items of the section plugins are ignored, the others apply',
    where: 'core 10.2, 10.3',
  },
  { id: 'YAML-7', rule: 'in public mode load errors show only the base name of the file', where: 'core 10.3' },
  {
    id: 'OPT-1',
    rule: 'the innermost list entry that contains an error is removed, outside of lists the top-level key',
    where: 'core 10.3',
  },
  { id: 'OPT-2', rule: 'defaults of the schema are filled in and the input is not modified', where: 'core 10.3' },
  {
    id: 'OPT-3',
    rule: 'unknown keys are reported with the closest known one, and messages do not contain values',
    where: 'core 10.3',
  },
  {
    id: 'OPT-4',
    rule: 'errors have the position of the item in the file, also after other items were removed',
    where: 'core 10.3',
  },
  { id: 'OPT-5', rule: 'among alternatives, the one that was probably meant determines the error', where: 'core 10.3' },
  { id: 'OPT-6', rule: 'a schema is compiled once per cache', where: 'core 10.3' },
  {
    id: 'OPT-7',
    rule: 'a section without a required value is removed and reported as invalid',
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
    rule: 'in a filter list the last level without a target counts, else the first target, else info',
    where: 'limits 7',
  },
  { id: 'LOG-5', rule: 'startup lines are printed at every level', where: 'core 1.1' },
  {
    id: 'LOG-6',
    rule: 'in an idle process lines on standard output appear immediately, and none is lost at exit',
    where: 'limits 7',
  },
  {
    id: 'LOG-7',
    rule: 'a reader of standard output that disconnects, stalls or is slow loses lines but never blocks the service',
    where: 'limits 7',
  },
]
