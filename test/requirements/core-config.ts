/** What the configuration, `svc.yaml`, the check of options and the log promise. */
export default [
  {
    id: 'ENV-1',
    rule: 'values are trimmed and an empty one counts as unset, except that of SVC_CORS_ORIGINS',
    where: 'specification, Configuration',
  },
  {
    id: 'ENV-2',
    rule: 'an invalid value gives the default and one warning that names variable, value and what was expected',
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
  { id: 'ENV-5', rule: 'an unknown SVC_ variable gives one warning with the nearest known name', where: 'core 2' },
  { id: 'ENV-6', rule: 'no secret value occurs in a warning or in the effective view', where: 'core 2' },
  {
    id: 'ENV-7',
    rule: 'hosted mode means control authentication jwt, JSON logs and no watching unless their variables say otherwise',
    where: 'specification, Configuration; limits 3',
  },
  {
    id: 'ENV-8',
    rule: 'an override replaces one value of the plan, and without a plan makes the plan custom',
    where: 'limits 2',
  },
  { id: 'ENV-9', rule: 'an invalid override keeps the value of the plan and does not count', where: 'limits 2' },
  { id: 'ENV-10', rule: 'requiring a key turns shared mode on, with a warning', where: 'limits 8' },
  {
    id: 'ENV-11',
    rule: 'public mode caps delays at 10 s, refuses pushes to everywhere and does not watch',
    where: 'core 2; a2a',
  },
  {
    id: 'ENV-12',
    rule: 'entries of origin and push lists that can match nothing are left out with a warning',
    where: 'core 5; a2a',
  },
  {
    id: 'ENV-13',
    rule: 'console title and back link cannot carry control characters, markup or another scheme',
    where: 'core 2',
  },
  { id: 'ENV-14', rule: 'control authentication that refuses everybody is announced', where: 'limits 3' },
  {
    id: 'VIEW-1',
    rule: 'the effective view has every field of the table, and of secrets only whether they are configured',
    where: 'core 2',
  },
  { id: 'VIEW-2', rule: 'limits look as in the usage record; what is off is null', where: 'limits 2' },
  {
    id: 'YAML-1',
    rule: 'the file is --config, else SVC_CONFIG_FILE, else ./svc.yaml if it exists; a named one that is missing is an error',
    where: 'core 10.3',
  },
  {
    id: 'YAML-2',
    rule: 'a file that cannot be read, is larger than 1 MiB, is no YAML or no mapping is one load error',
    where: 'core 10.3',
  },
  { id: 'YAML-3', rule: 'aliases, cycles and nesting are bounded', where: 'core 10.3, 11' },
  {
    id: 'YAML-4',
    rule: 'YAML 1.2 core: yes and dates are texts, << and __proto__ are ordinary keys',
    where: 'core 10.3',
  },
  { id: 'YAML-5', rule: 'the line and column of an item can be asked', where: 'core 10.3' },
  { id: 'YAML-6', rule: 'wrong items of the section plugins are left out, the others apply', where: 'core 10.2, 10.3' },
  { id: 'YAML-7', rule: 'in public mode load errors show the base name of the file only', where: 'core 10.3' },
  {
    id: 'OPT-1',
    rule: 'the innermost list entry that holds an error is left out, without a list the top-level key',
    where: 'core 10.3',
  },
  { id: 'OPT-2', rule: 'defaults of the schema are filled in and what was given is not changed', where: 'core 10.3' },
  {
    id: 'OPT-3',
    rule: 'unknown keys are named with the nearest known one, and messages do not show values',
    where: 'core 10.3',
  },
  {
    id: 'OPT-4',
    rule: 'errors are placed by where items stand in the file, also after others were left out',
    where: 'core 10.3',
  },
  { id: 'OPT-5', rule: 'of alternatives the one that was probably meant says what is wrong', where: 'core 10.3' },
  { id: 'OPT-6', rule: 'a schema is compiled once for each cache', where: 'core 10.3' },
  {
    id: 'OPT-7',
    rule: 'a section from which something needed is missing is left out and said to be invalid',
    where: 'core 10.3',
  },
  {
    id: 'LOG-1',
    rule: 'the JSON form is one object a line: timestamp, level as a word, message, then fields',
    where: 'limits 7',
  },
  { id: 'LOG-2', rule: 'the text form is one line a event, in color only on a terminal', where: 'limits 7' },
  { id: 'LOG-3', rule: 'control characters are escaped in both forms', where: 'limits 7' },
  {
    id: 'LOG-4',
    rule: 'of a filter list the last bare level counts, else the first target, else info',
    where: 'limits 7',
  },
  { id: 'LOG-5', rule: 'start-up lines are printed at every level', where: 'core 1.1' },
  {
    id: 'LOG-6',
    rule: 'lines on standard output appear at once in an idle process, and none is lost at exit',
    where: 'limits 7',
  },
  {
    id: 'LOG-7',
    rule: 'a reader of standard output that goes away, stalls or is slow costs lines, never the service',
    where: 'limits 7',
  },
]
