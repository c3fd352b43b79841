#!/usr/bin/env python3
"""action.py CMAKE SOURCE BUILD: the steps of action.yml install orch from a release, run an agent, set the outputs and
leave the artifacts, carried out as GitHub's runner does; words from outside stay words."""
import os
import platform
import re
import subprocess
import sys
import tempfile

cmake, source, build = sys.argv[1:4]
text = open(f'{source}/action.yml', encoding='utf-8').read()
failures = 0


def expect(what, holds, seen=''):
    global failures
    print(('ok: ' if holds else 'FAILED: ') + what + ('' if holds else f': {seen}'))
    failures += not holds


def steps():
    """The shell steps: (name, environment, script)."""
    for step in text.split('\n    - name: ')[1:]:
        script = re.search(r'\n      run: \|\n((?:        .*\n|\n)+)', step + '\n')
        if script:
            env = dict(re.findall(r'^        (\w+): \$\{\{ (.*) \}\}$', step, re.M))
            yield step.split('\n')[0], env, re.sub('^        ', '', script.group(1), flags=re.M)


defaults = {name: value.strip("'\"") for name, value in
            re.findall(r"^  ([\w-]+):\n    description: .*\n(?:    required: true\n)?    default: (.*)$", text, re.M)}
inputs_of_steps = {word for _, env, _ in steps() for word in env.values() if word.startswith('inputs.')}
declared = set(re.findall(r'^  ([\w-]+):\n    description', text.split('\noutputs:')[0], re.M))
expect('each input that a step uses is declared', {word[7:] for word in inputs_of_steps} <= declared, inputs_of_steps)


def act(folder, inputs):
    """Carries the steps out; the exit code of the one that failed, or 0, and the outputs of the run."""
    for name in ('home', 'temp', 'work'):
        os.makedirs(f'{folder}/{name}', exist_ok=True)
    outputs, path = f'{folder}/output', f'{folder}/path'
    env = {'PATH': os.environ['PATH'], 'HOME': f'{folder}/home', 'GITHUB_ACTIONS': 'true', 'CI': 'true',
           'GITHUB_OUTPUT': outputs, 'GITHUB_PATH': path, 'GITHUB_STEP_SUMMARY': f'{folder}/summary',
           'RUNNER_TEMP': f'{folder}/temp', 'ORCH_DEMO_SPEED': '5'}
    values = {'github.action_path': source, **{f'inputs.{k}': v for k, v in {**defaults, **inputs}.items()}}
    for file in (outputs, path):
        open(file, 'w').close()
    code = 0
    for name, wanted, script in steps():
        # As the runner does: bash --noprofile --norc -eo pipefail FILE
        file = f'{folder}/step.sh'
        with open(file, 'w', encoding='utf-8') as out:
            out.write(script)
        done = subprocess.run(['bash', '--noprofile', '--norc', '-eo', 'pipefail', file], cwd=f'{folder}/work',
                              env={**env, **{k: values[v] for k, v in wanted.items()}}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
        code, said = done.returncode, done.stdout.decode(errors='replace')
        if code != 0:
            break
    said_outputs = re.findall(r'^(\w+)<<(.*)\n((?:.*\n)*?)\2$', open(outputs, encoding='utf-8').read(), re.M)
    return code, {name: value.strip() for name, _, value in said_outputs}, said


with tempfile.TemporaryDirectory() as folder:
    version = subprocess.check_output([f'{build}/bin/orch', '--version'], text=True).split()[1]
    name = f'orch-{version}-linux-{platform.machine()}'
    subprocess.run([cmake, '--install', build, '--prefix', f'{folder}/tree/{name}', '--strip'], check=True,
                   stdout=subprocess.DEVNULL)
    releases = f'{folder}/releases'
    os.makedirs(releases)
    subprocess.run(f'tar -C {folder}/tree -czf {releases}/{name}.tar.gz {name} && cd {releases} && '
                   'sha256sum *.tar.gz >SHA256SUMS', shell=True, check=True)

    begin = {'releases': releases, 'agent': 'demo', 'approve': 'none'}
    code, said, log = act(f'{folder}/1', {**begin, 'issue': '7', 'prompt': 'look at it'})
    expect('a run that succeeds is a step that does', code == 0, log)
    expect('its outputs are set', said.get('exit_code') == '0' and
           said.get('reason') == 'complete', said)
    for output in re.findall(r'steps\.run\.outputs\.(\w+)', text):
        expect(f'{output} is an output of orch', output in said, said)
    expect('the program is on the PATH of later steps',
           os.path.exists(open(f'{folder}/1/path', encoding='utf-8').read().strip() + '/orch'))
    expect('the artifacts are in their folder', os.path.exists(f'{folder}/1/work/orch-artifacts/result.json'))

    code, said, log = act(f'{folder}/2', {**begin, 'issue': '7', 'prompt': 'x', 'arguments': '--verify=exit 3\n\n--output=quiet'})
    expect('a gate that fails fails the step with its code', code == 20 and said.get('exit_code') == '20',
           f'{code} {said} {log}')

    code, said, log = act(f'{folder}/3', {**begin, 'issue': '--approve=all', 'prompt': 'x'})
    expect('an issue is never an option', code == 2 and '::error::' in log, f'{code} {log}')
    hostile = '--approve=all $(touch ../hit) `touch ../hit`\n"; touch ../hit #\n'
    code, said, log = act(f'{folder}/4', {**begin, 'issue': '7', 'prompt': hostile})
    expect('a prompt is never a command', code == 0 and not os.path.exists(f'{folder}/4/hit'), f'{code} {log}')
    prompt = [open(os.path.join(where, file), encoding='utf-8').read() for where, _, files in
              os.walk(f'{folder}/4/temp') for file in files if file == 'orch-prompt.md']
    expect('... and arrives as it is', prompt == [hostile], prompt)

sys.exit(failures > 0)
