#!/usr/bin/env python3
"""sbom.py SOURCE: the bill of materials of a release has each file with its checksum, and the libraries in its tarballs."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

if not shutil.which('dpkg-query'):
    print('skipped: this is not Debian')
    sys.exit(77)
os.chdir(sys.argv[1])
failures = 0


def expect(what, holds, seen=''):
    global failures
    print(('ok: ' if holds else 'FAILED: ') + what + ('' if holds else f': {seen}'))
    failures += not holds


with tempfile.TemporaryDirectory() as folder:
    names = ['orch_1.2.3-1_amd64.deb', 'orch-1.2.3-linux-x86_64.tar.gz', 'orch-1.2.3-linux-x64.tgz', 'install.sh']
    for name in [*names, 'agents.md', 'orch-1.2.2.spdx.json']:
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
            file.write(name)
    made = [subprocess.check_output(['packaging/sbom', '1.2.3', folder]) for _ in range(2)]
    expect('it is the same when it is made again', made[0] == made[1])
    bill = json.loads(made[0])
    packages = {one['name']: one for one in bill['packages']}
    files = {one['packageFileName']: one for one in bill['packages'] if 'packageFileName' in one}
    expect("it has the release's files alone", sorted(files) == sorted(names), sorted(files))
    for name in names:
        expect(f'{name} has its checksum', files[name]['checksums'][0]['checksumValue'] ==
               hashlib.sha256(name.encode()).hexdigest())
    linked = {name: {one['relatedSpdxElement'] for one in bill['relationships']
                     if one['spdxElementId'] == files[name]['SPDXID'] and one['relationshipType'] == 'STATIC_LINK'}
              for name in names}
    expect('a tarball names the libraries in it', packages['libre2-dev']['SPDXID'] in linked[names[1]], linked)
    expect("so does npm's package", linked[names[2]] == linked[names[1]])
    expect('a Debian package, which has none in it, does not', not linked[names[0]])
    expect('each library has a version', all(one['versionInfo'] for one in bill['packages']))
    ids = [one['SPDXID'] for one in bill['packages']]
    expect('each has a name of its own', len(set(ids)) == len(ids))
sys.exit(failures > 0)
