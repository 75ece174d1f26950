/** Rules for the web console: serving, shell, overview and live traffic. */
export default [
  {
    id: 'CON-1',
    rule: '/ui redirects to /ui/ with a relative location. /ui/ and /ui/index.html are the same page, other paths below return 404, and other methods 405.',
    where: 'console 1, 7',
  },
  {
    id: 'CON-2',
    rule: 'The page has a content security policy, a strong ETag and no-cache. Assets are immutable, with nosniff and a strong ETag.',
    where: 'console 1',
  },
  {
    id: 'CON-3',
    rule: 'Page and assets are served in br, gzip or identity encoding by quality values, each with its own ETag. HEAD and If-None-Match work for all.',
    where: 'console 1',
  },
  {
    id: 'CON-4',
    rule: 'The page has auth mode, title, back link, public mode and version in escaped meta elements.',
    where: 'console 1, 7',
  },
  {
    id: 'CON-5',
    rule: 'All URLs are relative, and no asset loads anything from another host.',
    where: 'console 1',
  },
  {
    id: 'CON-6',
    rule: 'With brotli, the first load is at most 90 KB, each chunk at most 150 KB, and all files together at most 450 KB.',
    where: 'console 2',
  },
  { id: 'CON-7', rule: 'The same sources give the same file names.', where: 'console 2' },
  {
    id: 'CON-8',
    rule: 'A build error fails the plugin, or keeps its running version, and is reported with file, line and message. The rest of the server keeps running.',
    where: 'console 2, 7',
  },
  {
    id: 'CON-9',
    rule: 'Every view opens without console errors in both themes and at all widths, and axe finds no violations.',
    where: 'console 4, 8',
  },
  {
    id: 'CON-10',
    rule: 'The navigation shows views with an enabled plugin, an unknown hash opens the overview, and Alt with a digit opens a view.',
    where: 'console 3',
  },
  {
    id: 'CON-11',
    rule: 'The settings are stored, and reset deletes them. Tokens are kept only for the tab, and every request has the session.',
    where: 'console 3',
  },
  {
    id: 'CON-12',
    rule: 'Ctrl+K searches views, endpoints and mocks, and ? lists the shortcuts. Single-letter shortcuts are ignored while typing or if turned off. Dialogs restore the focus.',
    where: 'console 3',
  },
  {
    id: 'CON-13',
    rule: 'Presenter mode hides the navigation and enlarges the text, and the theme button sets data-theme.',
    where: 'console 3',
  },
  {
    id: 'CON-14',
    rule: 'With control auth, users sign in by form or by a fragment that is removed first. The token is sent only to /_svc/ of the instance, as a header.',
    where: 'console 3',
  },
  {
    id: 'CON-15',
    rule: 'A rejected or expired token opens the sign-in screen with the reason, and the view keeps its state. A missing scope is named.',
    where: 'console 3',
  },
  { id: 'CON-16', rule: 'Below a path prefix, the console calls the instance below that prefix.', where: 'console 1' },
  {
    id: 'CON-17',
    rule: 'An unreachable instance, an unreachable gateway and limits of the instance are reported with different messages.',
    where: 'console 3',
  },
  { id: 'CON-18', rule: 'After an edit of the client, the page offers to reload.', where: 'console 2' },
  {
    id: 'CON-19',
    rule: 'The overview shows instance, health with a switch, plan, base URLs, configuration with its warnings and load errors.',
    where: 'console 4',
  },
  {
    id: 'CON-20',
    rule: 'Plugins are switched immediately. Plugins that block a change are named and can be switched with it.',
    where: 'console 4, 5',
  },
  {
    id: 'CON-21',
    rule: 'Captured requests appear newest first with time, method, path, status, latency, client, session and tags.',
    where: 'console 4',
  },
  {
    id: 'CON-22',
    rule: 'Filter syntax: all terms must match, names select one part, a leading minus negates, quotes allow spaces. Filters can be saved.',
    where: 'console 4',
  },
  {
    id: 'CON-23',
    rule: 'For a request that the console sent, the details show what the gateway added, removed, changed and rewrote, without headers that the browser added.',
    where: 'console 4',
  },
  { id: 'CON-24', rule: 'For other requests, gateway headers are detected by their names.', where: 'console 4' },
  {
    id: 'CON-25',
    rule: 'A request can be copied as curl, .http and fetch, quoted so that the copy sends the same request.',
    where: 'console 4',
  },
  {
    id: 'CON-26',
    rule: 'Replay sends a request again, optionally edited, directly or through a gateway, and can show the request that arrived.',
    where: 'console 4',
  },
  { id: 'CON-27', rule: 'Two requests are shown side by side with their differences.', where: 'console 4' },
  { id: 'CON-28', rule: 'The shown rows can be saved as a valid HAR file.', where: 'console 4' },
  {
    id: 'CON-29',
    rule: 'The list can be paused, pauses while text is selected, and can be cleared for all or for one session.',
    where: 'console 4',
  },
  {
    id: 'CON-30',
    rule: 'The page stays usable at a thousand requests per second. It keeps at most 1000 rows, and few of them are in the document.',
    where: 'console 4',
  },
  {
    id: 'CON-31',
    rule: 'Captured markup, control characters, long lines and bytes are shown as text, and the page stays usable.',
    where: 'console 3, 7',
  },
  {
    id: 'CON-32',
    rule: 'A request that the instance no longer stores stays on screen with a mark. A link to a stored request restores the view.',
    where: 'console 3, 7',
  },
  {
    id: 'CON-33',
    rule: 'The feed resumes after an interruption without losing or repeating requests. New traffic is announced at most every 5 s.',
    where: 'console 3, 4',
  },
  {
    id: 'CON-34',
    rule: 'In public mode, the console has its own session and shows only that session.',
    where: 'console 3',
  },
  {
    id: 'CON-35',
    rule: 'List, details and HAR show the injected fault, its source, and how the response ended.',
    where: 'limits 4',
  },
  {
    id: 'CON-36',
    rule: 'Attempts at the same request are detected by request ID or trace, and health probes can be hidden.',
    where: 'console 4',
  },
  {
    id: 'CON-37',
    rule: 'The target in the top bar names the gateway through which the page was loaded.',
    where: 'console 3',
  },
  {
    id: 'CON-38',
    rule: 'The path is the widest column of the live list at every width, and has most of the list next to a request.',
    where: 'issue 27',
  },
  {
    id: 'CON-39',
    rule: 'One click sends a request through a gateway and shows what it changed, from the overview, the empty list and the target.',
    where: 'issue 27',
  },
  {
    id: 'CON-40',
    rule: 'Requests of other clients are compared with another request or with a pasted curl command.',
    where: 'issue 27',
  },
  {
    id: 'CON-41',
    rule: 'Details and HAR show the headers and the beginning of the body of the response, and why a request ended as it did.',
    where: 'issue 27',
  },
  {
    id: 'CON-44',
    rule: 'The view of rules lists them in order in words with hits and a switch, stores and removes them, and makes one of a request.',
    where: 'testing 8',
  },
  {
    id: 'CON-43',
    rule: 'The picture of the console in the documentation is taken from a running instance with requests of all areas, by a script that a test runs.',
    where: 'issue 27',
  },
  {
    id: 'CON-42',
    rule: 'A chart shows the rate of requests by outcome, and dragging over it filters the list by time.',
    where: 'issue 27',
  },
  {
    id: 'CON-45',
    rule: 'A view without content says what it is for, offers its main action, and shows a command that works.',
    where: 'issue 27',
  },
  {
    id: 'CON-46',
    rule: 'The editor of rules completes names and values from the schema of rules in the OpenAPI document.',
    where: 'issue 27',
  },
  {
    id: 'CON-47',
    rule: 'With hundreds of mixed requests, no view is wider than the window at 1440, 1024 and 390 px, and no badge, button or heading is cut off.',
    where: 'issue 27',
  },
  {
    id: 'CON-48',
    rule: 'With replicas, the live traffic has a column, a fact and a filter for the replica, a view lists them with their health and its switches, and a banner says that the store is unavailable. A single instance shows none of it.',
    where: 'replicas 8',
  },
  {
    id: 'CON-49',
    rule: 'The gateway report starts, follows and stops runs of the probe, shows the evidence of a check from four sides, saves the report, and opens and compares report files. A gateway that svc.yaml does not list is answered with the lines to add.',
    where: 'probe 6',
  },
  {
    id: 'CON-50',
    rule: 'Each demo of the overview opens a state in which one key press shows the effect.',
    where: 'console 4',
  },
  {
    id: 'CON-51',
    rule: 'A gateway becomes the target only if a request through it arrived. An address without a scheme is completed, and an error does not stretch its card.',
    where: 'console 3',
  },
  {
    id: 'CON-52',
    rule: 'Pages of svc that a browser loaded are not in the live traffic unless asked for. Fields of the connection are not those of the client. Deleting asks first.',
    where: 'console 4',
  },
  {
    id: 'CON-53',
    rule: 'The overview says that the instance is gone, and notices within 3 s that it is back. What is not loaded yet is not shown as zero.',
    where: 'console 3, 4',
  },
]
