"""For script/harbor-jobs: the environment of Harbor's that $ORCH_HARBOR_ENVIRONMENT names (MODULE:CLASS), with a copy of the
folder $ORCH_HARBOR_HOME as the home of root."""

import importlib
import os

module, _, name = os.environ["ORCH_HARBOR_ENVIRONMENT"].partition(":")


class WithHome(getattr(importlib.import_module(module), name)):
    async def start(self, force_build: bool) -> None:
        await super().start(force_build)
        await self.upload_dir(os.environ["ORCH_HARBOR_HOME"], "/root")
